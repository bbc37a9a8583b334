export { writeAssignment } from '../src/groups/consumer-protocol.ts';
export { FakeKafka, type FakeKafkaOptions } from './fake-kafka.ts';
