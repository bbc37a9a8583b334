export { subscriptionBytes } from './classic-consumer.ts';
