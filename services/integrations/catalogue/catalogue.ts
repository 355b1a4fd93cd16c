/** The present integration definitions: those of the project, and those of a folder of the configuration, which come first. */
import type { IntegrationDefinition } from "#shared/contracts/integrations/definition-fields.ts";
import type { CatalogEntry } from "#shared/contracts/integrations/integrations.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import { YamlFolder } from "#shared/base/yaml/yaml-folder.ts";
import { definitionIn, faultOf, type ReadDefinition } from "./definition-file.ts";

interface Choice {
	readonly slug: string;
	readonly integration_type: string;
	readonly adapter: string;
}

/** The definitions of this process. A file that cannot be used is logged once, and takes no other one with it. */
export class Catalogue {
	readonly #folders: readonly YamlFolder<ReadDefinition>[];
	readonly #log: ServiceLog;
	#logged: ReadonlySet<string> = new Set();

	/** @param folders Absolute paths; a definition of a later folder replaces an earlier one of its slug. */
	constructor(folders: readonly string[], log: ServiceLog) {
		this.#folders = folders.map((folder) => new YamlFolder(folder, { read: definitionIn, refuse: faultOf }));
		this.#log = log;
	}

	/** Returns the definitions by slug. @throws {Error} when a folder cannot be read. */
	async definitions(): Promise<ReadonlyMap<string, IntegrationDefinition>> {
		const all = new Map<string, IntegrationDefinition>();
		const faults: string[] = [];
		for (const folder of this.#folders) {
			const read = uniqueIn(await folder.contents());
			faults.push(...folder.missing("integrations.folder"), ...read.faults);
			for (const [slug, definition] of read.definitions) all.set(slug, definition);
		}
		for (const sentence of faults)
			if (!this.#logged.has(sentence)) this.#log.error(sentence.replace(/[^.]$/, "$&."), "It is left out");
		this.#logged = new Set(faults);
		return all;
	}

	/** Returns the definition that a request means; undefined when there is none, or more than one without a slug. */
	async chosen({ slug, integration_type, adapter }: Choice): Promise<IntegrationDefinition | undefined> {
		const all = await this.definitions();
		if (slug !== "") return all.get(slug);
		const fitting = [...all.values()].filter(
			(one) => one.integration_type === integration_type && (adapter === "" || one.adapter === adapter),
		);
		return fitting.length === 1 ? fitting[0] : undefined;
	}

	async entries(): Promise<CatalogEntry[]> {
		return [...(await this.definitions()).values()].map(entryOf);
	}
}

interface UniqueDefinitions {
	readonly definitions: ReadonlyMap<string, IntegrationDefinition>;
	readonly faults: readonly string[];
}

/** Leaves out definitions whose slugs earlier files of the folder have. */
function uniqueIn(files: ReadonlyMap<string, ReadDefinition>): UniqueDefinitions {
	const origins = new Map<string, string>();
	const definitions = new Map<string, IntegrationDefinition>();
	const faults: string[] = [];
	for (const [file, read] of files) {
		if ("fault" in read) {
			faults.push(read.fault);
			continue;
		}
		const { slug } = read.definition;
		const first = origins.get(slug);
		if (first === undefined) {
			origins.set(slug, file);
			definitions.set(slug, read.definition);
		} else faults.push(faultOf(file, `"slug": "${slug}" is the slug of "${first}"`).fault);
	}
	return { definitions, faults };
}

function entryOf(definition: IntegrationDefinition): CatalogEntry {
	const { slug, name, description, integration_type, adapter, icon, credential_schema, auth_type } = definition;
	const { config_schema = { required: [], properties: {} }, oauth } = definition;
	// Clients learn how the server is started; where it serves concerns launches only.
	const { host: _host, config_key: _key, ...server } = definition.mcp_server ?? {};
	const mcp_server = "name" in server ? server : null;
	const shown = { slug, name, description, integration_type, adapter, icon, credential_schema, config_schema };
	return { ...shown, mcp_server, auth_type, oauth_scopes: oauth?.scopes ?? [] };
}
