import { type Environment, systemEnvironment } from '@weir/core';

/**
 * The one variable of the machine that configures servers under test: all suites run with four serving threads if it is
 * 4. Commands without a Kafka port do not know it.
 */
export function servingVariables(command: string | undefined): Environment {
  const { SERVICE_SERVING_THREADS } = systemEnvironment;
  const isBroker = command === 'agent' || command === 'local' || command === 'playground';
  return SERVICE_SERVING_THREADS === undefined || !isBroker ? {} : { SERVICE_SERVING_THREADS };
}
