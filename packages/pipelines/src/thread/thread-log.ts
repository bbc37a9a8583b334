import { type Clock, type Log, type LogFields, type LogLevel, TokenBucket } from '@weir/core';
import { pipelineLimits } from '../limits.ts';

type Line = { readonly level: LogLevel; readonly message: string; readonly fields: LogFields };

const rate = { perSecond: pipelineLimits.logLinesPerSecond, burst: pipelineLimits.logLinesBurst };

/** A log whose lines go elsewhere: not more than a rate, and each not longer than a limit. */
export function boundedLog(
  clock: Clock,
  send: (line: Line) => void,
  redacted: (text: string) => string = (text) => text,
): Log {
  const bucket = new TokenBucket();
  let suppressed = 0;
  const logWith = (bound: LogFields): Log => {
    const at = (level: LogLevel) => (message: string, fields?: LogFields) => {
      if (!bucket.tryTake(1, rate, clock.monotonicMs())) {
        suppressed++;
        return;
      }
      const all = { ...bound, ...fields, ...(suppressed === 0 ? {} : { suppressed }) };
      suppressed = 0;
      send({ level, message: clipped(redacted(message)), fields: clippedFields(all, redacted) });
    };
    return {
      debug: () => {},
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      with: (fields) => logWith({ ...bound, ...fields }),
    };
  };
  return logWith({});
}

/** Redacted before they are cut: half a secret would not be found. */
function clippedFields(fields: LogFields, redacted: (text: string) => string): LogFields {
  const entries = Object.entries(fields).slice(0, pipelineLimits.logLineFieldsMax);
  return Object.fromEntries(
    entries.map(([name, value]) => [
      clipped(name),
      typeof value === 'string' ? clipped(redacted(value)) : value,
    ]),
  );
}

function clipped(text: string): string {
  const { logLineCharsMax } = pipelineLimits;
  return text.length > logLineCharsMax ? `${text.slice(0, logLineCharsMax)}…` : text;
}
