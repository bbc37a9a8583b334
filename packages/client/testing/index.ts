export { FakeKafka, type FakeKafkaOptions } from './fake-kafka.ts';
export { foreignServer } from './foreign-server.ts';
