const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** Bytes for people. */
export function sizeText(bytes: number): string {
  let unit = 0;
  let amount = bytes;
  for (; amount >= 1024 && unit < units.length - 1; unit++) amount /= 1024;
  return `${amount >= 100 || unit === 0 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`;
}
