export { GroupCoordinator } from './coordinator.ts';
export type { GroupsMachine } from './groups-machine.ts';
