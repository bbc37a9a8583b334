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

/** An instruction with its edges, roughly. */
const instructionBytes = 256;

/** What the library keeps of the states of one program at most. */
const statesBytesMax = 8 * 1024 * 1024;

/**
 * The programs of all patterns of a process, by expression. A program grows while it matches, because the library keeps the states that it
 * met, up to 8 MiB of them. So patterns do not own their programs: those that were used last stay, within limits, and the others
 * are compiled again when something is matched with them.
 */
export class PatternPrograms {
  readonly #limits: PatternProgramsLimits;
  /** The least recently used first. */
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

  /** Runs `work` with the program of the expression. Throws what the library says of an expression that is none. */
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

/** Of the library, which does not tell how many states it keeps; a test notices when these are gone. */
interface ProgramInternals {
  readonly re2Input?: { readonly lazyDFA?: { readonly maxMem: number; readonly memBudget: number } | null };
}

/** What a program takes up now; as much as it can where that cannot be seen. */
export function programBytes(compiled: RE2JS): number {
  const fixedBytes = instructionBytes * compiled.programSize();
  const states = (compiled as unknown as ProgramInternals).re2Input?.lazyDFA;
  if (states === null) return fixedBytes;
  const statesBytes = states === undefined ? Number.NaN : states.maxMem - states.memBudget;
  return fixedBytes + (Number.isFinite(statesBytes) ? statesBytes : statesBytesMax);
}
