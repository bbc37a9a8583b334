import assert from 'node:assert/strict';
import { openDatabase } from '../../src/accounts/database/open-database.ts';
import { ada, dayMs, note, type Stage } from './stage.ts';

/** Deletion of expired data. */
export function tidyingContract({ contract }: Stage): void {
  contract('expired rows are removed', async ({ setup, sessions, auditLog, tidy, url, deps, ...scene }) => {
    await setup.begin();
    const made = await setup.finishAlone(ada);
    const { id: accountId } = made!.account;
    const invited = [{ email: 'x@y.z', roleId: made!.adminRoleId }];
    const count = 1_200;
    const begin = () => sessions.begin({ userId: made!.user.id, remoteAddress: '', userAgent: '' });
    await begin();
    await scene.invitations.create(accountId, invited, made!.user.id);
    await auditLog.append(Array.from({ length: count }, () => ({ ...note, accountId })));
    deps.clock.advance(90 * dayMs);
    await auditLog.append([{ ...note, accountId }]);
    await begin();
    await tidy();
    deps.clock.advance(1);
    await tidy();
    const { database, close } = await openDatabase(url, deps);
    const left = async (
      table: 'weir_sessions' | 'weir_invitations' | 'weir_audit_entries' | 'weir_audit_targets',
    ) =>
      (
        await database
          .selectFrom(table)
          .select((row) => row.fn.countAll<number>().as('count'))
          .executeTakeFirstOrThrow()
      ).count;
    assert.deepEqual(
      [
        await left('weir_sessions'),
        await left('weir_invitations'),
        await left('weir_audit_entries'),
        await left('weir_audit_targets'),
      ],
      [1, 0, 1, 2],
    );
    await close();
  });
}
