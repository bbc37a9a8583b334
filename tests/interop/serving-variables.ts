import { type Environment, systemEnvironment } from '@weir/core';

/**
 * The one variable of the machine that configures servers under test: all suites run with four serving threads if it is
 * 4. Commands without a Kafka port do not know it, and of several processes each has one thread.
 */
export function servingVariables(args: readonly string[]): Environment {
  const { SERVICE_SERVING_THREADS } = systemEnvironment;
  const isBroker = ['agent', 'local', 'playground'].includes(args[0] ?? '');
  const isOneProcess = !args.includes('-processes') || args[args.indexOf('-processes') + 1] === '1';
  return SERVICE_SERVING_THREADS === undefined || !isBroker || !isOneProcess
    ? {}
    : { SERVICE_SERVING_THREADS };
}
