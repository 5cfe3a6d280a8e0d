    -- Unique keys are checked before the row is written, so generated values are needed before.
    select {expressions} into {targets} from (select {row}) _cow_new;
