/** Makes a new session from a chronicle: like the recorded one, with the caller's rights, and not started. */
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { Principal } from "#shared/base/principal.ts";
import type { LaunchSettings } from "#shared/wire/pod/launch.ts";
import type { ChronicleDocument } from "./chronicle-collections.ts";
import { chronicleOf } from "./chronicle-records.ts";
import { mayUseSession } from "#shared/contracts/access/access-table.ts";
import { newSession } from "../commands/session-draft.ts";
import type { Commander } from "../commands/commander.ts";
import type { SessionCreations } from "../commands/session-creations.ts";
import type { SessionRules } from "../commands/session-rules.ts";
import { type LocalSource, sourceOfMounts } from "../workspace-sources/local-sources.ts";
import { checkRepository, type GitSource, refuseBadRef } from "../workspace-sources/session-source.ts";

const suffix = "-reforged";
/** The most characters of a session's name (RFC 1123). */
const maxName = 63;

export class SessionReforge {
	readonly #creations: SessionCreations;
	readonly #rules: SessionRules;

	constructor(creations: SessionCreations, rules: SessionRules) {
		this.#creations = creations;
		this.#rules = rules;
	}

	/**
	 * Creates the session. @throws {UnprocessableError} when the repository or branch can no longer be used, or the key
	 * was used for another request.
	 */
	async reforge(commander: Commander, chronicle: ChronicleDocument): Promise<Session> {
		const { principal } = commander;
		const { name, source, launch } = await this.#origin(principal, chronicle);
		const request = { ...plainRequest, name, model: launch.model };
		const { sessionLimit, agents } = this.#rules;
		const agent = agents.get(launch.agent);
		const { wire } = await this.#creations.create(commander, {
			action: "reforge",
			params: { reforge: chronicle.id },
			make: (id, at) => ({
				...newSession({ id, principal, request, source, launch, agent, at, sessionLimit, status: "created" }),
				parent_chronicle: chronicle.id,
			}),
		});
		return JSON.parse(wire) as Session;
	}

	/**
	 * Returns the settings of the recorded session without its first message. An administrator gets those of somebody else
	 * without what is personal. @throws {UnprocessableError}
	 */
	async #origin(principal: Principal, document: ChronicleDocument): Promise<Origin> {
		const { repo, branch, config_snapshot } = chronicleOf(document);
		const { session, tenant, owner } = document;
		const isOwn = mayUseSession(principal, "command-agent", { session, tenant, owner });
		const recorded = document.launch as LaunchSettings;
		const settings = isOwn ? recorded : withoutPersonal(recorded);
		const name = reforgedName(String(config_snapshot["name"]));
		const plain = { ...settings, name, git_protocols: [...this.#rules.protocols], initial_prompt: "" };
		if (settings.mounts && settings.mounts.length > 0) {
			const { source, mounts } = await this.#rules.locals.check(principal, sourceOfMounts(settings.mounts));
			return { name, source, launch: { ...plain, mounts } };
		}
		refuseBadRef(branch);
		const source: GitSource = {
			type: "git",
			repo: checkRepository(repo, this.#rules.protocols),
			branch,
			base_branch: "",
		};
		const [own, ...others] = settings.repositories;
		const repositories = [{ path: "", ...own, url: repo, branch, base_branch: own?.base_branch ?? "" }, ...others];
		return { name, source, launch: { ...plain, repositories } };
	}
}

interface Origin {
	readonly name: string;
	readonly source: GitSource | LocalSource;
	readonly launch: LaunchSettings;
}

/** A request without any choice but a name. */
const plainRequest = {
	terminal_restricted: false,
	credential_names: [],
	integration_ids: [],
	resource_config: {},
	system_prompt: "",
	initial_prompt: "",
};

/**
 * Returns the settings without those that may hold secrets of a person, or that would run the person's programs with the
 * rights of somebody else.
 */
function withoutPersonal({
	credential_names: _names,
	tenant_credentials: _tenants,
	integration_ids: _ids,
	...settings
}: LaunchSettings): LaunchSettings {
	return { ...settings, env: {}, mcp_servers: [], setup_scripts: [], system_prompt: "" };
}

/** Returns a valid name for the new session. */
export function reforgedName(name: string): string {
	if (name.endsWith(suffix)) return name;
	return `${name.slice(0, maxName - suffix.length).replace(/-+$/, "")}${suffix}`;
}
