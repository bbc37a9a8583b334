import type { Log, LogFields, LogLevel } from '@weir/core';
import type { EventEmitter } from './event-emitter.ts';

/**
 * A log whose lines are events too, those for debugging excepted, whatever of them is written to the log itself. Whoever writes events must not have it:
 * what it says of them would be the next event.
 */
export function emittingLog(log: Log, emitter: EventEmitter, bound: LogFields = {}): Log {
  const at = (level: Exclude<LogLevel, 'debug'>) => (message: string, fields?: LogFields) => {
    log[level](message, fields);
    if (!emitter.isOn('agent_logs')) return;
    emitter.emit('agent_logs', { module: 'agent', ...bound, ...fields, log_level: level, message });
  };
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => emittingLog(log.with(fields), emitter, { ...bound, ...fields }),
  };
}
