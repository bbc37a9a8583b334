import { createPressure, defaultListenerLimits, LoadMonitor, systemLoad } from '@weir/broker';
import type { AgentContext, CommonContext } from '../agent-context.ts';
import { started } from '../component.ts';

/** Measures the load, and slows clients down by it. */
export const pressure = {
  name: 'pressure',
  start({ options, self }: AgentContext) {
    const limits = {
      ...defaultListenerLimits(options.cpuCount),
      idleMs: options.idleConnectionMs,
      ...options.limits,
    };
    const created = createPressure({ ...options, responseBytesMax: limits.responseBytesMax });
    const { monitor } = created;
    monitor.start();
    self.cpuLoad = () => monitor.cpu;
    return started({ limits, pressure: created }, () => monitor.stop());
  },
};

/** Measures the load of an agent that slows no client down. */
export const loadMonitor = {
  name: 'load monitor',
  start({ options, self }: CommonContext<'load' | 'cpuCount' | 'clock' | 'log' | 'metrics'>) {
    const { load, cpuCount, clock, log, metrics } = options;
    const source = load ?? systemLoad(clock, cpuCount);
    const monitor = new LoadMonitor({ thresholdPercent: 0, source, clock, log, metrics });
    monitor.start();
    self.cpuLoad = () => monitor.cpu;
    return started({}, () => monitor.stop());
  },
};
