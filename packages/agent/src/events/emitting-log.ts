import type { Log, LogFields, LogLevel } from '@weir/core';
import type { EventEmitter } from '@weir/events/emission';

/**
 * A log whose lines are also events, except debug lines, whatever level the log itself writes. Components that write
 * events must not use it: their lines about failed events would be further events.
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
