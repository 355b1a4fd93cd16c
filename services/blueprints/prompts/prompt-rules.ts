/** The rules of saved prompts: which repository belongs to which scope. Pure. */
import type { PromptScope } from "#shared/contracts/blueprints/prompts.ts";
import { InvalidParametersError } from "#shared/base/errors.ts";

/**
 * Returns the repository of a prompt with this scope; null for a global one, whatever was given.
 * @throws {InvalidParametersError} when a project's prompt names no repository, or one with credentials in its URL.
 */
export function projectRepo(scope: PromptScope, given: string | null): string | null {
	if (scope === "global") return null;
	const repo = given?.trim() ?? "";
	if (repo === "") throw refusal("required", 'The scope "project" needs a repository');
	if (hasCredentials(repo)) throw refusal("credentials", "The repository must not hold credentials");
	return repo;
}

/** Protocol and user part, also where slashes are missing or wrong: people copy what other programs accept. */
const userPart = /^(?:([a-z][a-z\d+.-]*):[\\/]+)?([^\\/@]*)@/i;

/** Whether the name of a repository has a password, or a user for a protocol other than ssh, whose user is no secret. */
function hasCredentials(repo: string): boolean {
	const [part, protocol = "ssh", user = ""] = userPart.exec(repo) ?? [];
	return part !== undefined && (user.includes(":") || protocol.toLowerCase() !== "ssh");
}

function refusal(type: string, message: string): InvalidParametersError {
	return new InvalidParametersError([{ type, path: ["project_repo"], message }]);
}
