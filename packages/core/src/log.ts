/** Log lines for operators. Code receives a `Log` and never writes to a stream itself. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Returns a log that adds these fields to every line. */
  with(fields: LogFields): Log;
}

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

interface LogOptions {
  readonly level: LogLevel;
  readonly nowMs: () => number;
  /** Writes one line, given without its line end. */
  readonly write: (line: string) => void;
}

/** One JSON object per line: time, level, message, then the fields. */
export function jsonLog(options: LogOptions, bound: LogFields = {}): Log {
  const lowest = logLevels.indexOf(options.level);
  function at(level: LogLevel) {
    if (logLevels.indexOf(level) < lowest) return () => {};
    return (message: string, fields: LogFields = {}) => {
      const time = new Date(options.nowMs()).toISOString();
      options.write(JSON.stringify({ time, level, message, ...bound, ...fields }));
    };
  }
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => jsonLog(options, { ...bound, ...fields }),
  };
}

export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => silentLog,
};
