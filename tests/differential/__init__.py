"""Random, grammar-made and hostile input for both engines, in every kind of call, compared in all they say (S6).

Run it: `make soak SEED=1 COUNT=100000`, or `python -m differential --help` in tests/. Case `i` of a seed is always
the same, so `--seed 1 --only 4711` shows one again. A difference is made small and kept in tests/corpus/differential.

    choice      quick random choices                  oracle      the rule once more, from S2 and S4 alone
    grammar     events, sound and odd                 comparison  what a call says, as something comparable
    text        events as JSON text                   kinds/      one kind of case a module: draw it, ask it, its laws
    damage      what happens to lines and bytes       shrinking   a smaller case that still differs
    encoding    logs as gzip, zstd, arrays, SSE       keeping     a case as files, and back
                                                      runner      many cases, in several processes
"""
