/** Methods of lists that scan their members. */
const scanning = [
  'indexOf',
  'lastIndexOf',
  'includes',
  'find',
  'findIndex',
  'findLast',
  'findLastIndex',
  'some',
  'every',
  'filter',
  'splice',
  'shift',
] as const;

type Scan = (this: readonly unknown[], ...args: unknown[]) => unknown;

interface CountedScans extends Disposable {
  /** Members of lists that were scanned, as if nothing had been found before the end. */
  readonly looks: number;
}

/** Shorter lists are not counted, and neither are lists that do not grow with the request. */
const listLengthMin = 256;

/**
 * Counts scanned members of long lists until it is disposed, and throws beyond `looksMax`: otherwise a quadratic
 * handler would run for minutes before the test fails.
 */
export function countScans(looksMax: number): CountedScans {
  const prototype = Array.prototype as unknown as Record<string, Scan>;
  const originals = new Map<string, Scan>(scanning.map((name) => [name, prototype[name]!]));
  let looks = 0;
  for (const [name, original] of originals) {
    set(name, function (this: readonly unknown[], ...args) {
      if (this.length >= listLengthMin) looks += this.length;
      if (looks > looksMax) throw new RangeError(`more than ${looksMax} looks at members of lists`);
      return original.apply(this, args);
    });
  }
  return {
    get looks() {
      return looks;
    },
    [Symbol.dispose]() {
      for (const [name, original] of originals) set(name, original);
    },
  };

  function set(name: string, value: Scan): void {
    Object.defineProperty(Array.prototype, name, {
      value,
      writable: true,
      configurable: true,
      enumerable: false,
    });
  }
}
