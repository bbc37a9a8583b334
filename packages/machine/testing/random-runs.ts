import fc from 'fast-check';

interface Run<Action> {
  take(action: Action): void;
  /** Compares the machine with its model. */
  compare(): void;
}

/** Takes random actions in new runs, and compares after every fifth and at the end. */
export function checkRandomRuns<Action>(
  action: fc.Arbitrary<Action>,
  begin: () => Run<Action>,
  { numRuns, last = [] }: { readonly numRuns: number; readonly last?: readonly Action[] },
): void {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60, size: 'max' }), (actions) => {
      const run = begin();
      for (const [number, one] of actions.entries()) {
        run.take(one);
        if (number % 5 === 0) run.compare();
      }
      for (const one of last) run.take(one);
      run.compare();
    }),
    { numRuns },
  );
}
