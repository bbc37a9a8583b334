import { listenerContract } from '../../testing/listener-contract.ts';

listenerContract(2);
