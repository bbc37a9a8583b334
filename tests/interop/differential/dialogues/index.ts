import { administrationDialogues } from './administration.ts';
import { classicGroupDialogues, classicJoinDialogues } from './classic-groups.ts';
import type { Dialogue } from './dialogue.ts';
import { modernGroupDialogues } from './modern-groups.ts';
import { recordDialogues } from './records.ts';
import { securityDialogues } from './security.ts';
import { topicDialogues } from './topics.ts';
import { transactionDialogues } from './transactions.ts';

export const dialogues: readonly Dialogue[] = [
  ...topicDialogues,
  ...recordDialogues,
  ...classicGroupDialogues,
  ...classicJoinDialogues,
  ...modernGroupDialogues,
  ...transactionDialogues,
  ...administrationDialogues,
  ...securityDialogues,
];
