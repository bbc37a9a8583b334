import { RE2JS } from 're2js';
import { clusterLimits } from '../limits.ts';

interface PatternProgramsLimits {
  readonly programsMax: number;
  readonly bytesMax: number;
}

const usualLimits: PatternProgramsLimits = {
  programsMax: clusterLimits.patternProgramsMax,
  bytesMax: clusterLimits.patternProgramsBytesMax,
};

/** Approximate size of an instruction with its edges. */
const instructionBytes = 256;

/** Upper bound of the library's state cache for one program. */
const statesBytesMax = 8 * 1024 * 1024;

/**
 * The compiled programs of all patterns of a process, by expression. A program grows while it matches, because the
 * library caches up to 8 MiB of the states that it visited. So patterns do not own their programs: the most recently
 * used stay cached, within limits, and the others are compiled again on use.
 */
export class PatternPrograms {
  readonly #limits: PatternProgramsLimits;
  /** Least recently used first. */
  readonly #programs = new Map<string, { readonly compiled: RE2JS; bytes: number }>();
  #bytes = 0;

  constructor(limits: PatternProgramsLimits = usualLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#programs.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the program of the expression would not have to be compiled. */
  has(expression: string): boolean {
    return this.#programs.has(expression);
  }

  /** Runs `work` with the program of the expression. Throws the library's error for an invalid expression. */
  use<Result>(expression: string, work: (compiled: RE2JS) => Result): Result {
    let program = this.#programs.get(expression);
    if (program === undefined) program = { compiled: RE2JS.compile(expression), bytes: 0 };
    else this.#programs.delete(expression);
    this.#programs.set(expression, program);
    try {
      return work(program.compiled);
    } finally {
      const bytes = programBytes(program.compiled);
      this.#bytes += bytes - program.bytes;
      program.bytes = bytes;
      this.#forgetOldest();
    }
  }

  #forgetOldest(): void {
    const { programsMax, bytesMax } = this.#limits;
    for (const [expression, { bytes }] of this.#programs) {
      if (this.#programs.size <= programsMax && this.#bytes <= bytesMax) return;
      this.#programs.delete(expression);
      this.#bytes -= bytes;
    }
  }
}

/** Library internals: it does not expose how many states it caches. A test fails when these fields are gone. */
interface ProgramInternals {
  readonly re2Input?: { readonly lazyDFA?: { readonly maxMem: number; readonly memBudget: number } | null };
}

/** Returns the current size of a program; the maximum if the internals are not accessible. */
export function programBytes(compiled: RE2JS): number {
  const fixedBytes = instructionBytes * compiled.programSize();
  const states = (compiled as unknown as ProgramInternals).re2Input?.lazyDFA;
  if (states === null) return fixedBytes;
  const statesBytes = states === undefined ? Number.NaN : states.maxMem - states.memBudget;
  return fixedBytes + (Number.isFinite(statesBytes) ? statesBytes : statesBytesMax);
}
