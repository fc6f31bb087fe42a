insert into runs (uuid, started, ridge, build, machine, machine_text, settings) values ('0123456789abcdef0123456789abcdef', '2026-01-02T03:04:05Z', '0.1.0', 'gcc', '0123456789abcdef', 'a machine', '{}')
insert into rows values (1, 1, 'gemv', 'avx512', 'ridge', '{"n": 64, "k": 64}', 'fp32', 'fp32', 1, 'cold', 1e-6, 9e-7, 2e-6, 1e-8, 8e-7, 9, 10, 3, 'false', 8192, '340282366920938463463374607431768211455', 1e9, 1e9, 50.0, null, null, 'memory', 0.0, 'false')
insert into baselines values ('main', 1, '2026-01-02T03:04:05Z')
