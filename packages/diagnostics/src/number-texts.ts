/** Numbers formatted for sentences: short, rounded, with their unit. */

export function count(number: number): string {
  return Math.round(number).toLocaleString('en-US');
}

/** `1 agent`, `1,200 agents`. */
export function counted(number: number, one: string, several = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : several}`;
}

/** Never rounded up to a limit that was not reached: 0.996 is 99 %. */
export function percent(share: number): string {
  return `${count(Math.floor(share * 100 + 1e-9))} %`;
}

const durationUnits: readonly (readonly [name: string, ms: number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

/** The largest unit with a value of two or more: `90 minutes`, `3 days`, `850 ms`. */
export function duration(ms: number): string {
  for (const [name, size] of durationUnits) {
    if (ms >= 2 * size || (ms === size && name === 'second')) return counted(Math.floor(ms / size), name);
  }
  return `${count(ms)} ms`;
}

const byteUnits: readonly (readonly [name: string, bytes: number])[] = [
  ['TiB', 2 ** 40],
  ['GiB', 2 ** 30],
  ['MiB', 2 ** 20],
  ['KiB', 2 ** 10],
];

/** With one decimal where it is significant: `1.5 MiB`, `300 KiB`. */
export function bytes(amount: number): string {
  for (const [name, size] of byteUnits) {
    if (amount < size) continue;
    const inUnit = amount / size;
    return `${inUnit < 10 ? Math.round(inUnit * 10) / 10 : count(inUnit)} ${name}`;
  }
  return `${count(amount)} bytes`;
}

/** Formats when something expires or expired, relative to now. */
export function ending(leftMs: number): string {
  return leftMs <= 0 ? `expired ${duration(Math.abs(leftMs))} ago` : `expires in ${duration(leftMs)}`;
}

/** Lists some names, and the number of the others. */
export function some(names: readonly string[], shown = 3): string {
  const rest = names.length - shown;
  return names.slice(0, shown).join(', ') + (rest > 0 ? ` and ${count(rest)} more` : '');
}
