/**
 * Ambient access: things that make a run depend on when and where it happens. Only the listed files may use each and
 * turn it into a port; all other code receives the port, so that a whole cluster can be simulated from a seed.
 */
interface AmbientAccess {
  readonly banned: string;
  readonly pattern: RegExp;
  /** Whether the pattern also matches strings, such as names of imported modules. */
  readonly inStrings?: true;
  /** Files that may use it. */
  readonly allowedFiles: readonly string[];
  readonly instead: string;
}

const clockFiles = ['packages/core/src/clock.ts'];

export const ambientAccesses: readonly AmbientAccess[] = [
  {
    banned: 'process.env',
    pattern: /\bprocess\s*\.\s*env\b|\benv\b[^;\n]*\}\s*=\s*process\b/,
    allowedFiles: ['packages/core/src/environment.ts'],
    instead: 'receive an Environment',
  },
  {
    banned: 'Date.now',
    pattern: /\bDate\s*\.\s*now\b/,
    allowedFiles: [...clockFiles, 'tests/faults/cluster/shifted-clock.ts'],
    instead: 'receive a Clock and ask nowMs()',
  },
  {
    banned: 'new Date() of the present',
    pattern: /\bnew\s+Date\s*(?:\(\s*\)|(?![\w\s(]))/,
    allowedFiles: clockFiles,
    instead: 'receive a Clock and pass its nowMs()',
  },
  {
    banned: 'performance.now',
    pattern: /\bperformance\s*\.\s*now\b/,
    allowedFiles: clockFiles,
    instead: 'receive a Clock and ask monotonicMs()',
  },
  {
    banned: 'process.hrtime',
    pattern: /\bprocess\s*\.\s*hrtime\b/,
    allowedFiles: clockFiles,
    instead: 'receive a Clock and ask monotonicMs()',
  },
  {
    banned: 'Math.random',
    pattern: /\bMath\s*\.\s*random\b/,
    allowedFiles: ['packages/core/src/random.ts'],
    instead: 'receive a Random',
  },
  {
    banned: 'a raw timer',
    pattern:
      /(?<![.\w])(?:globalThis\s*\.\s*)?(?:setTimeout|setInterval|setImmediate)\b|['"](?:node:)?timers(?:\/promises)?['"]/,
    inStrings: true,
    // Turns of the event loop are what the watch measures.
    allowedFiles: [...clockFiles, 'packages/core/testing/turn-watch.ts'],
    instead: 'receive a Clock and ask after()',
  },
  {
    banned: 'console',
    pattern: /\bconsole\s*\.\s*\w/,
    allowedFiles: [],
    instead: 'write to the Output of the command, or to the log',
  },
];
