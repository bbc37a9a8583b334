/** Values of documents that are made of other formats. */

/** A safe integer as a number, and any other as it is. */
export function shortest(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The shortest decimal that is the same float: 0.1, not 0.10000000149011612. */
export function shortestFloat(value: number): number {
  for (let digits = 6; digits < 10; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

/** Documents have no number that is not finite; columns read its name again. */
export function floatValue(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

/** Sets a field, also one that is named as the prototype. */
export function setField(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}
