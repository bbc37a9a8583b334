export { FakeKafka, type FakeKafkaOptions } from './fake-kafka.ts';
