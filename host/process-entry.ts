/** Describes this process for the others of the platform: what it runs, and fingerprints of what has to be alike. */
import { createHmac, randomUUID } from "node:crypto";
// oxlint-disable-next-line no-restricted-imports -- files of the operator, which no agent can touch
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { loadAdapterClass } from "#shared/config/adapter.ts";
import type { Config } from "#shared/config/config.ts";
import { environment } from "#shared/config/environment.ts";
import { maskSecrets } from "#shared/config/mask-secrets.ts";
import { publicContracts } from "#shared/contracts/all.ts";
import type { Platform } from "./platform.ts";
import type { ProcessEntry } from "#shared/contracts/processes.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { openApiToken } from "#shared/config/api-token.ts";

/** The sections of the configuration that decide about the same requests in every process. */
const comparedSections = ["identity", "budgets", "limits", "git", "workspaces"] as const;

/** Stores that may reach one process or one host only: their section of the configuration, their service, and their name. */
const loneStores = [
	{ section: "secrets", service: "settings", what: "secrets of users" },
	{ section: "credential_store", service: "credentials", what: "credentials" },
] as const;

/** Returns the entry of a process with these services; its local pods are added when they are known. */
export async function describeProcess(
	{ config, key }: Pick<Platform, "config" | "key">,
	services: readonly string[],
): Promise<ProcessEntry> {
	const print = (text: string) => createHmac("sha256", key.busSeal()).update(text).digest("base64url").slice(0, 22);
	return {
		id: randomUUID(),
		machine_name: hostname(),
		machine: print(await runningSystem()),
		services: [...services],
		release: print(`${JSON.stringify(publicContracts)}\n${config.processes.rollout}`),
		always: {
			"installation key": key.installationId(),
			...(await apiTokenPrint(config, services, print)),
			...secretPrints(config, services, print),
		},
		alike: { ...alikePrints(config, print), ...isolationPrint(config, services, print) },
		lone: await loneOf(config, services),
	};
}

type Print = (text: string) => string;

function alikePrints(config: Config, print: Print): Record<string, string> {
	const { folder } = config.templates.kwargs;
	const sections = comparedSections.map((name) => [
		`values in the section "${name}" of the configuration`,
		print(JSON.stringify(maskSecrets(config[name], name))),
	]);
	return {
		models: print(contentOf(config.models.file)),
		templates: print(typeof folder === "string" ? contentOf(folder) : JSON.stringify(config.templates.adapter)),
		agents: print(contentOf("config/agents")),
		"stores of the secrets of users": print(config.secrets.adapter),
		...Object.fromEntries(sections),
	};
}

/** A pod manager that requires less would run as processes what another one refuses to. */
function isolationPrint({ pods }: Config, services: readonly string[], print: Print): Record<string, string> {
	if (!services.includes("pod-manager")) return {};
	return { 'values of "pods.required_isolation"': print(pods.required_isolation) };
}

/** Gateways with another token each would refuse every second request. */
async function apiTokenPrint(
	config: Config,
	services: readonly string[],
	print: Print,
): Promise<Record<string, string>> {
	const { identity, data_dir } = config;
	const { storesToken } = await loadAdapterClass(identity);
	if (storesToken !== true || !services.includes("gateway")) return {};
	const variable = identity.secret_kwargs_env["token"];
	const given = variable === undefined ? identity.kwargs["token"] : environment()[variable];
	return { "token of the identity": print(typeof given === "string" ? given : openApiToken(data_dir)) };
}

/** A process with another key could not open what this one has stored, and would store what this one cannot open. */
function secretPrints(config: Config, services: readonly string[], print: Print): Record<string, string> {
	const used = loneStores.filter(({ service }) => services.includes(service));
	return Object.fromEntries(
		used.map(({ section, what }) => {
			const { kwargs, secret_kwargs_env } = config[section];
			const secrets = Object.entries(secret_kwargs_env).map(([name, variable]) => [
				name,
				environment()[variable] ?? "",
			]);
			const given = { encryption_key: kwargs["encryption_key"] ?? "", ...Object.fromEntries(secrets) };
			return [`key of the stored ${what}`, print(JSON.stringify(given))];
		}),
	);
}

async function loneOf(config: Config, services: readonly string[]): Promise<ProcessEntry["lone"]> {
	const lone: ProcessEntry["lone"] = {};
	for (const { section, service, what } of loneStores) {
		const { reach } = await loadAdapterClass(config[section]);
		if (services.includes(service) && (reach === "process" || reach === "host")) lone[what] = reach;
	}
	return lone;
}

/** Identifies the running kernel and the namespace of process ids, in which local pods are found. */
async function runningSystem(): Promise<string> {
	const namespace = await readlink("/proc/self/ns/pid").catch(() => "");
	return `${contentOf("/proc/sys/kernel/random/boot_id")} ${namespace} ${namespace === "" ? hostname() : ""}`;
}

/** Returns the content of a file, or of all files of a folder; a text about what is missing otherwise. */
function contentOf(path: string): string {
	const whole = resolve(projectRoot, path);
	if (!existsSync(whole)) return `no ${path}`;
	if (!statSync(whole).isDirectory()) return readFileSync(whole, "utf8");
	const names = readdirSync(whole, { recursive: true, encoding: "utf8" }).toSorted();
	const files = names.filter((name) => statSync(join(whole, name)).isFile());
	return files.map((name) => `${name}\n${readFileSync(join(whole, name), "utf8")}`).join("\n");
}
