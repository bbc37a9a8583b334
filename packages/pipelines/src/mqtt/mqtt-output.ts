import type { ComponentContext } from '../component/component-context.ts';
import { BatchFailure, type Output } from '../component/instances.ts';
import type { Interpolated } from '../component/interpolated.ts';
import type { Batch } from '../component/message.ts';
import { mqttClient } from './mqtt-client.ts';
import type { MqttValues } from './mqtt-fields.ts';

interface PublishOptions {
  readonly topic: Interpolated;
  readonly qos: 0 | 1 | 2;
  readonly isRetained: boolean;
  /** Instead of `isRetained`; absent if it is the same for all. */
  readonly retained: Interpolated | undefined;
  readonly writeMsMax: number | undefined;
}

/** Publishes each message of a batch, and knows which the broker has not confirmed. */
export function mqttOutput(fields: MqttValues, options: PublishOptions, context: ComponentContext): Output {
  const { topic, qos, retained, writeMsMax } = options;
  const { mappingPorts: ports, log } = context;
  const client = mqttClient(fields, { isClean: true, writeMsMax }, context);
  const isRetained = (batch: Batch, index: number): boolean => {
    if (retained === undefined) return options.isRetained;
    const text = retained.text(batch, index, ports);
    const found = booleanOf(text);
    if (found === undefined) log.warn('failed to read retained_interpolated', { value: text.slice(0, 100) });
    return found ?? false;
  };
  return {
    async write(batch, stop) {
      const connection = await client.get(stop);
      const failed = new Map<number, Error>();
      await Promise.all(
        batch.map(async ({ content }, index) => {
          try {
            await connection.publish(topic.text(batch, index, ports), content, qos, isRetained(batch, index));
          } catch (error) {
            failed.set(index, error as Error);
          }
        }),
      );
      if (failed.size > 0) throw new BatchFailure(failed);
    },
    async close() {
      client.current?.close(new Error('the component was closed'), { isClean: true });
      await client.close();
    },
  };
}

/** As Go reads booleans. */
export function booleanOf(text: string): boolean | undefined {
  if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) return true;
  return /^(?:0|f|F|FALSE|false|False)$/.test(text) ? false : undefined;
}
