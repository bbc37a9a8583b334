import { componentOf } from '../component/component-spec.ts';
import { bool, durationMs, int, interpolated, list, string } from '../component/field-types.ts';
import type { Reading, TextPlace } from '../component/reading.ts';
import { maxInFlight, pacedOutput } from '../engine/open-output.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';
import { isQos, type MqttValues, mqttFields } from './mqtt-fields.ts';

function checkWill({ will }: Partial<MqttValues>, reading: Reading, place: TextPlace): void {
  if (will?.enabled && will.topic === '') reading.problem(place, 'will needs a topic');
}

export const mqttInput = componentOf('input', {
  name: 'mqtt',
  connectionsCountedBy: 'itself',
  about:
    'Subscribes to topics of an MQTT broker (3.1.1). With QoS 1 and 2, messages are acknowledged when they are written.',
  fields: {
    ...mqttFields,
    topics: list('The topics, with `+` and `#` for several.', string('A topic.')).check((topics) =>
      topics.length === 0 || topics.includes('') ? 'has to have topics' : undefined,
    ),
    qos: int('The QoS of the subscription: 0, 1 or 2.').or(1).check(isQos).advanced(),
    clean_session: bool('Whether the broker forgets the client when it disconnects.').or(true).advanced(),
    auto_replay_nacks: bool('Whether messages that were not written are delivered again.').or(true),
  },
  check(fields, reading, place) {
    checkWill(fields, reading, place);
    if (fields.clean_session === false && fields.client_id === '')
      reading.problem(place, 'clean_session false needs a client_id');
  },
  async open(fields, context) {
    const { MqttInput } = await import('./mqtt-input.ts');
    const { topics, qos, clean_session: isClean } = fields;
    const input = new MqttInput(fields, { topics, qos, isClean }, context);
    return fields.auto_replay_nacks ? new ReplayedInput(input, context.clock) : input;
  },
});

export const mqttOutput = componentOf('output', {
  name: 'mqtt',
  connectionsCountedBy: 'itself',
  about:
    'Publishes messages to an MQTT broker (3.1.1). With QoS 1 and 2, they are written when the broker has confirmed them.',
  fields: {
    ...mqttFields,
    topic: interpolated('The topic.'),
    qos: int('The QoS of messages: 0, 1 or 2.').or(1).check(isQos),
    write_timeout: durationMs('How long the connection may take to send a message.').or('3s'),
    retained: bool('Whether the broker keeps the last message of a topic for later subscribers.').or(false),
    retained_interpolated: interpolated('The same, as `true` or `false` for each message.').or('').advanced(),
    max_in_flight: maxInFlight.or(64),
  },
  check: checkWill,
  async open(fields, context) {
    const { mqttOutput: open } = await import('./mqtt-output.ts');
    const { retained_interpolated: retained } = fields;
    const options = {
      topic: fields.topic,
      qos: fields.qos as 0 | 1 | 2,
      isRetained: fields.retained,
      retained: retained.fixed === '' ? undefined : retained,
      writeMsMax: fields.write_timeout,
    };
    return pacedOutput(open(fields, options, context), fields, context);
  },
});
