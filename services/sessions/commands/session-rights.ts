/**
 * Says who may change what of a session. Which code runs, and what is done with the owner's rights, is decided by the owner
 * alone; administrators look after a session and end it (docs/decisions/0102-the-owner-decides-what-runs.md). Pure.
 */
import {
	mayUseSession,
	type Ownership,
	ownershipOf,
	type SessionAction,
} from "#shared/contracts/access/access-table.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { ForbiddenError } from "#shared/base/errors.ts";
import type { Command } from "../record/session-lifecycle.ts";
import type { SessionUpdate } from "../record/session-update.ts";

type Right = Extract<SessionAction, "manage" | "command-agent">;

/** The right that the change of each member needs. */
export const memberRights: Readonly<Record<keyof SessionUpdate, Right>> = {
	/** It becomes the title of pull requests and the message of commits, which are made with the owner's rights. */
	name: "command-agent",
	budget: "manage",
	branch: "command-agent",
	base_branch: "command-agent",
	model: "command-agent",
	tracker_issue_id: "command-agent",
};

/** The right that each command needs. A start runs setup scripts and programs of the repository with the owner's credentials. */
export const commandRights: Readonly<Record<Command, Right>> = {
	start: "command-agent",
	stop: "manage",
	archive: "manage",
	restore: "manage",
	delete: "manage",
};

/** The members that an administrator may change too. */
const managed = Object.entries(memberRights).flatMap(([name, right]) => (right === "manage" ? [`"${name}"`] : []));

/** Refuses an update of members that the principal may not change; null ones change nothing. @throws {ForbiddenError} */
export function refuseForeignUpdate(principal: Principal, session: Session, update: Partial<SessionUpdate>): void {
	const given = Object.entries(update).filter(([, value]) => value !== null && value !== undefined);
	const rights: Readonly<Record<string, Right | undefined>> = memberRights;
	// A member without a row is the owner's.
	const refused = given.find(
		([name]) => !mayUseSession(principal, rights[name] ?? "command-agent", ownershipOf(session)),
	);
	if (refused)
		throw new ForbiddenError(
			`Only the owner of a session may change "${refused[0]}", because the session works with the owner's rights; administrators may change ${managed.join(" and ")}`,
			"OWNER_ONLY",
		);
}

/**
 * Refuses a report about a session, its chronicles, its timeline or its events, by others than its pod and its owner: they
 * become descriptions of pull requests and prompts. @throws {ForbiddenError}
 */
export function refuseForeignReport(principal: Principal, of: Ownership): void {
	if (mayUseSession(principal, "report", of)) return;
	throw new ForbiddenError(
		"Only the owner of a session and its pod may write what it tells of its work; administrators may read and delete it",
		"OWNER_ONLY",
	);
}

/** Refuses a command that the principal may not give. @throws {ForbiddenError} */
export function refuseForeignCommand(principal: Principal, session: Session, command: Command): void {
	if (mayUseSession(principal, commandRights[command], ownershipOf(session))) return;
	throw new ForbiddenError(
		`Only the owner of a session may ${command} it, because its programs run with the owner's rights`,
		"OWNER_ONLY",
	);
}
