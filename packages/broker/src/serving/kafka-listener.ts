import { type KafkaListener, type ListenerOptions, startOwnListener } from '../net/listener.ts';
import { startSharedListener } from './shared-listener.ts';

export interface KafkaListenerOptions extends ListenerOptions {
  /**
   * Threads that accept connections, read requests and send answers. Default and 1: this thread does it, and no other
   * is started.
   */
  readonly servingThreads?: number | undefined;
}

/** Resolves when the port is open; rejects if it cannot be opened. */
export function startKafkaListener({
  servingThreads = 1,
  ...options
}: KafkaListenerOptions): Promise<KafkaListener> {
  return servingThreads > 1 ? startSharedListener(options, servingThreads) : startOwnListener(options);
}
