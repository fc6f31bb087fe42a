insert into runs (uuid, started, ridge, build, machine, machine_text, settings) values ('0123456789abcdef0123456789abcdef', '2026-01-02T03:04:05Z', '0.1.0', 'gcc', '0123456789abcdef', 'a machine', '{')
insert into rows values (1, 1, 'gemv', 'avx512', 'ridge', 'not json', 'fp32', 'fp32', -1, 'cold', 9e999, -9e999, 'x', x'00ff', 8e-7, 9, 10, 3, 'maybe', 8192, 'x', 1e9, 1e9, 50.0, null, null, 'side', 0.0, 'false')
update rows set time_median_s = 1e308 * 10
