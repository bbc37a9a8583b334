/** Methods of lists that look at one member after the other. */
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
  /** Members that lists were looked through for, as if nothing had been found before the end. */
  readonly looks: number;
}

/** Beyond these it is not worth counting, and a list that a request does not make grow is not counted either. */
const listLengthMin = 256;

/**
 * Counts what is looked through in long lists until it is disposed of, and fails the look beyond `looksMax`: a handler that is quadratic would
 * take minutes to be told so otherwise.
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
