import { type Log, type LogFields, type LogLevel, systemClock, TokenBucket } from '@weir/core';
import { tableLimits } from '../limits.ts';

const rate = { perSecond: tableLimits.tableLogLinesPerSecond, burst: tableLimits.tableLogLinesBurst };

/** A log whose lines go to the agent, not more than a rate. */
export function boundedLog(send: (level: LogLevel, message: string, fields: LogFields) => void): Log {
  const bucket = new TokenBucket();
  let suppressed = 0;
  const logWith = (bound: LogFields): Log => {
    const at = (level: LogLevel) => (message: string, fields?: LogFields) => {
      if (!bucket.tryTake(1, rate, systemClock.monotonicMs())) {
        suppressed++;
        return;
      }
      const all = { ...bound, ...fields, ...(suppressed === 0 ? {} : { suppressed }) };
      suppressed = 0;
      send(level, message, all);
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
