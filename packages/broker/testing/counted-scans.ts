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
  readonly scannedCount: number;
}

/** Shorter lists are not counted, and neither are lists that do not grow with the request. */
const listLengthMin = 256;

/**
 * Counts scanned members of long lists until it is disposed, and throws beyond `scannedMax`: otherwise a quadratic
 * handler would run for minutes before the test fails.
 */
export function countScans(scannedMax: number): CountedScans {
  const prototype = Array.prototype as unknown as Record<string, Scan>;
  const originals = new Map<string, Scan>(scanning.map((name) => [name, prototype[name]!]));
  let scannedCount = 0;
  for (const [name, original] of originals) {
    set(name, function (this: readonly unknown[], ...args) {
      if (this.length >= listLengthMin) scannedCount += this.length;
      if (scannedCount > scannedMax) throw new RangeError(`more than ${scannedMax} scanned members of lists`);
      return original.apply(this, args);
    });
  }
  return {
    get scannedCount() {
      return scannedCount;
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
