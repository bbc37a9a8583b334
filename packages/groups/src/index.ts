export { GroupCoordinator, type GroupsMachine } from './coordinator.ts';
