/**
 * Every row of the table of agents, in the order in which one session leads to the next. The books are compared
 * before the kills, because tokens on their way to a killed agent cannot be counted.
 */
import type { AgentCheck } from "./agent-check.ts";
import { bookChecks } from "./checks/books.ts";
import { choiceChecks } from "./checks/choices.ts";
import { failureChecks } from "./checks/failures.ts";
import { interruptChecks } from "./checks/interrupts.ts";
import { killChecks } from "./checks/kills.ts";
import { modeChecks } from "./checks/modes.ts";
import { permissionChecks } from "./checks/permissions.ts";
import { repositoryChecks } from "./checks/repository.ts";
import { surroundingChecks } from "./checks/surroundings.ts";
import { workChecks } from "./checks/work.ts";

export const agentChecks: readonly AgentCheck[] = [
	...workChecks,
	...interruptChecks,
	...permissionChecks,
	...choiceChecks,
	...modeChecks,
	...repositoryChecks,
	...failureChecks,
	...bookChecks,
	...killChecks,
	...surroundingChecks,
];
