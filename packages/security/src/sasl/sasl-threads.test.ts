import { testWithServingThreads } from '@weir/broker/testing';

testWithServingThreads(2);
await import('./sasl.test.ts');
