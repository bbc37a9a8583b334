import { type Check, Evaluated, type ValidationRun } from './validation-run.ts';

// Loops, because a call of an array method takes two frames of the stack at every level.

export function allOfCheck(checks: readonly Check[]): Check {
  return (value, run) => {
    for (const check of checks) if (!run.apply(check, value)) return false;
    return true;
  };
}

export function anyOfCheck(checks: readonly Check[]): Check {
  return (value, run) => {
    let fits = false;
    for (const check of checks) {
      if (!run.apply(check, value)) continue;
      fits = true;
      if (run.evaluated === undefined) break;
    }
    return fits || run.fail('matches no schema of anyOf');
  };
}

export function oneOfCheck(checks: readonly Check[]): Check {
  return (value, run) => {
    let count = 0;
    for (const check of checks) {
      if (!run.apply(check, value)) continue;
      count++;
      if (count > 1) return run.fail('matches more than one schema of oneOf');
    }
    return count === 1 || run.fail('matches no schema of oneOf');
  };
}

export function notCheck(check: Check): Check {
  return (value, run) => !run.tries(check, value) || run.fail('matches the schema of not');
}

export function conditionalCheck(
  condition: Check,
  then: Check | undefined,
  otherwise: Check | undefined,
): Check {
  return (value, run) => {
    const branch = run.apply(condition, value) ? then : otherwise;
    return branch === undefined || run.apply(branch, value);
  };
}

/** Gives a schema notes of its own on what it evaluated, which reach the schema around it only if the value fits. */
export function noting(check: Check): Check {
  return (value, run: ValidationRun) => {
    // Two sets for each subschema that is applied.
    run.work(8);
    const outer = run.evaluated;
    const own = new Evaluated();
    run.evaluated = own;
    const fits = check(value, run);
    run.evaluated = outer;
    if (fits && outer !== undefined) {
      run.work(own.names.size + own.indexes.size);
      outer.add(own);
    }
    return fits;
  };
}
