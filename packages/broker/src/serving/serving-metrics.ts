export const servingRows = {
  connections: {
    name: 'agent_serving_thread_connections',
    kind: 'gauge',
    help: 'Open Kafka connections by serving thread, with those that are not admitted yet.',
    labels: ['thread'],
  },
  utilization: {
    name: 'agent_serving_thread_utilization',
    kind: 'gauge',
    help: 'Share of time in which the event loop of a serving thread was busy, from 0 to 1.',
    labels: ['thread'],
  },
  restarts: {
    name: 'agent_serving_thread_restart_counter',
    kind: 'counter',
    help: 'Serving threads that ended unexpectedly and were started again.',
    labels: [],
  },
} as const;
