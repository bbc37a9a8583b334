import { formatDurationMs } from '@weir/core';
import type { Deps } from '../deps.ts';
import type { FlagValues } from '../flags/catalogue.ts';

/** How far long work has come. */
interface Advance {
  readonly done: number;
  /** What is counted: `files`. */
  readonly unit: string;
  /** Absent if it is not known. */
  readonly total?: number | undefined;
  /** From 0 to 1, where it does not follow from a total. */
  readonly share?: number | undefined;
  /** Shown at the end of the line. */
  readonly detail?: string;
}

/** A line is drawn at most this often. */
const drawEveryMs = 100;
const barCharacters = 20;
/** A longer line would wrap on a small terminal, and a wrapped line cannot be overwritten. */
const lineCharactersMax = 79;
const clearLine = '\r\u001b[K';

/**
 * A line with a bar, the rate and the time left, which is overwritten as work goes on. It is drawn on standard error,
 * only on a terminal, and never beside JSON.
 */
export class Progress {
  readonly #deps: Pick<Deps, 'clock' | 'output'>;
  readonly #startMs: number;
  readonly isShown: boolean;
  #drawnMs = Number.NEGATIVE_INFINITY;
  #isDrawn = false;

  constructor({ output: form }: Pick<FlagValues, 'output'>, deps: Pick<Deps, 'clock' | 'output'>) {
    this.#deps = deps;
    this.#startMs = deps.clock.monotonicMs();
    this.isShown = deps.output.isErrTerminal === true && form !== 'json';
  }

  show(advance: Advance): void {
    if (!this.isShown) return;
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - this.#drawnMs < drawEveryMs) return;
    this.#drawnMs = nowMs;
    this.#isDrawn = true;
    this.#deps.output.err(clearLine + progressLine(advance, nowMs - this.#startMs));
  }

  /** Makes room for other output; the line comes back with the next advance. Called at the end too. */
  clear(): void {
    if (!this.#isDrawn) return;
    this.#isDrawn = false;
    this.#drawnMs = Number.NEGATIVE_INFINITY;
    this.#deps.output.err(clearLine);
  }
}

/** `[#####---------------]  25 %  50 of 200 topics  10/s  15s left`. */
export function progressLine({ done, unit, total, share, detail }: Advance, elapsedMs: number): string {
  const known = share ?? (total === undefined || total === 0 ? undefined : done / total);
  const part = known === undefined ? undefined : Math.min(1, Math.max(0, known));
  const perSecond = elapsedMs <= 0 ? 0 : (done * 1000) / elapsedMs;
  const parts = [
    ...(part === undefined ? [] : [`${bar(part)} ${String(Math.floor(part * 100)).padStart(3)} %`]),
    `${counted(done)}${total === undefined ? '' : ` of ${counted(total)}`} ${unit}`,
    ...(done === 0 ? [] : [`${perSecond < 10 ? perSecond.toFixed(1) : counted(Math.round(perSecond))}/s`]),
    ...(detail === undefined ? [] : [detail]),
    ...(part === undefined || part === 0 ? [] : [`${leftText(elapsedMs, part)} left`]),
  ];
  return parts.join('  ').slice(0, lineCharactersMax);
}

function bar(share: number): string {
  const filled = Math.floor(share * barCharacters);
  return `[${'#'.repeat(filled)}${'-'.repeat(barCharacters - filled)}]`;
}

function counted(count: number): string {
  return count.toLocaleString('en');
}

function leftText(elapsedMs: number, share: number): string {
  return formatDurationMs(Math.ceil((elapsedMs * (1 - share)) / share / 1000) * 1000);
}
