drop table baselines
drop table rows
create view rows as with recursive n(i) as (select 1 union all select i + 1 from n) select i as id, 1 as run, 'gemv' as kernel from n
