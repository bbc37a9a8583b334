import type { Value } from '@weir/bloblang';
import { Arrivals } from '../component/arrivals.ts';
import type { ComponentContext } from '../component/component-context.ts';
import type { Delivery, Input } from '../component/instances.ts';
import { Message } from '../component/message.ts';
import { pipelineLimits } from '../limits.ts';
import { type MqttClient, mqttClient } from './mqtt-client.ts';
import type { MqttConnection } from './mqtt-connection.ts';
import type { MqttValues } from './mqtt-fields.ts';
import type { Publish } from './mqtt-packets.ts';

interface SubscriptionOptions {
  readonly topics: readonly string[];
  readonly qos: number;
  readonly isClean: boolean;
}

interface Arrived {
  readonly message: Publish;
  readonly from: MqttConnection;
}

/** Messages of topics, acknowledged when they are written. */
export class MqttInput implements Input {
  readonly #options: SubscriptionOptions;
  readonly #client: MqttClient;
  readonly #arrivals: Arrivals<Arrived>;
  /** That messages come from. */
  #connection: MqttConnection | undefined;
  #subscribed: MqttConnection | undefined;

  constructor(fields: MqttValues, options: SubscriptionOptions, context: ComponentContext) {
    this.#options = options;
    const { isClean } = options;
    const onLost = (error: Error) => {
      this.#connection = undefined;
      this.#subscribed = undefined;
      // A broker that remembers the client sends them again.
      this.#arrivals.fail(error, { drops: !isClean });
    };
    const onMessage = (message: Publish, from: MqttConnection) => {
      this.#connection = from;
      this.#arrivals.push({ message, from }, message.payload.length);
    };
    this.#client = mqttClient(fields, { isClean, onMessage, onLost }, context);
    const { brokerWaitingMessagesMax: itemsMax, brokerWaitingBytesMax: bytesMax } = pipelineLimits;
    this.#arrivals = new Arrivals({ itemsMax, bytesMax }, (isPaused) =>
      this.#connection?.setPaused(isPaused),
    );
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    if (this.#arrivals.isEmpty) await this.#subscribe(stop);
    const arrived = await this.#arrivals.next(stop);
    return arrived && this.#delivery(arrived);
  }

  async close(): Promise<void> {
    this.#client.current?.close(new Error('the component was closed'), { isClean: true });
    await this.#client.close();
  }

  async #subscribe(stop: AbortSignal): Promise<void> {
    const connection = await this.#client.get(stop);
    if (this.#subscribed === connection) return;
    this.#subscribed = connection;
    this.#arrivals.begin();
    try {
      await connection.subscribe(this.#options.topics, this.#options.qos);
    } catch (error) {
      connection.close(error as Error);
      throw error;
    }
  }

  #delivery({ message, from }: Arrived): Delivery {
    const metadata = new Map<string, Value>([
      ['mqtt_duplicate', message.isDuplicate],
      ['mqtt_qos', message.qos],
      ['mqtt_retained', message.isRetained],
      ['mqtt_topic', message.topic],
      ['mqtt_message_id', message.id],
    ]);
    return {
      batch: [Message.of(message.payload, metadata)],
      // MQTT has no refusal: what is not acknowledged is sent again to the next connection.
      settle: (error) => {
        if (error === undefined) from.acknowledge(message);
      },
    };
  }
}
