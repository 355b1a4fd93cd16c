/**
 * Finds environment variables that set nothing and are similar to one that does. A start goes on with them, because they may belong to
 * another program. Pure.
 */
import type { Rule, Schema } from "#shared/base/schema/schema.ts";
import { nearestName } from "#shared/base/nearest-name.ts";
import { fromEnvironment, plain } from "../env.ts";
import { shortNames } from "./wrong-value.ts";

const prefix = "ATELIER_";
/** Those of them that a person sets. */
const ownNames = ["CONFIG", "INSTALLATION_KEY", "URL", "TOKEN"];
/** Those that other parts of the project read or set; docker-compose.yml reads ATELIER_PORT, and the platform does not. */
const otherNames =
	/^ATELIER_(HOST|ROLE|SESSION|GENERATION|INSTALLATION|PROOF|SECRETS|FAILPOINTS|CLOCK_|ENVIRONMENT_|LAYOUT_|AGENT_|CODING_|MODEL_?|TEST_|NATS_)/;
/** Kubernetes sets variables with such values for every service of a cluster. */
const ofCluster = /^tcp:\/\//;
/** A slip changes fewer letters: keys of other providers have similar names, and other programs have short ones. */
const slipLetters = 3;
/** The most names of one sentence. */
const maxTold = 5;

/** Returns one sentence about all such variables; undefined when there are none. No value is repeated. */
export function similarVariables(env: NodeJS.ProcessEnv, schema: Schema): string | undefined {
	const keys = new Map(keysOf(schema).map((name) => [plain(name), name]));
	const found = Object.entries(env).flatMap(([name, value = ""]) => {
		const meant = ofCluster.test(value) ? undefined : meantBy(name, schema, keys);
		return meant === undefined ? [] : [`${name.slice(0, 100)} (did you mean ${meant}?)`];
	});
	return sentenceAbout(found);
}

/**
 * Returns one sentence about all variables that are similar to one of these, which are read and not set; undefined when there are none.
 * @param names The variables that the configuration names, e.g. those with the keys of models.
 */
export function similarToUnset(names: readonly string[], env: NodeJS.ProcessEnv): string | undefined {
	const unset = names.filter((name) => name !== "" && !env[name]);
	const found = Object.entries(env).flatMap(([name, value = ""]) => {
		const meant = value === "" || names.includes(name) ? undefined : nearestName(unset, name, slipLetters);
		return meant === undefined ? [] : [`${name} (did you mean ${meant}?)`];
	});
	return sentenceAbout(found);
}

function sentenceAbout(found: readonly string[]): string | undefined {
	if (found.length === 0) return undefined;
	return `The platform reads no environment variable of these names: ${found.slice(0, maxTold).join(", ")}`;
}

function meantBy(name: string, schema: Schema, keys: ReadonlyMap<string, string>): string | undefined {
	const short = Object.keys(shortNames);
	if (short.includes(name) || otherNames.test(name)) return undefined;
	if (name.startsWith(prefix)) return ownName(name.slice(prefix.length), short);
	if (name.includes("__")) return otherSection(name, schema);
	return short.find((one) => plain(one) === plain(name) && one !== name.toUpperCase()) ?? keys.get(plain(name));
}

/** Returns what was meant by a name behind the prefix. */
function ownName(rest: string, short: readonly string[]): string | undefined {
	if (ownNames.includes(rest)) return undefined;
	const near = nearestName(ownNames, rest);
	return short.find((one) => plain(one) === plain(rest)) ?? (near && prefix + near);
}

/** Returns the variable whose section is similar, and whose rest is the key of that section. */
function otherSection(name: string, schema: Schema): string | undefined {
	const [section = "", ...rest] = name.split("__");
	const near = nearestName(Object.keys(schema), section);
	if (near === undefined || plain(near) === plain(section)) return undefined;
	const meant = [near.toUpperCase(), ...rest].join("__");
	try {
		return Object.keys(fromEnvironment({ [meant]: "" }, schema)).length > 0 ? meant : undefined;
	} catch {
		return undefined;
	}
}

/** Returns the variables of all keys below a section. */
function keysOf(schema: Schema): string[] {
	return Object.entries(schema).flatMap(([name, rule]) => below(name.toUpperCase(), rule));
}

function below(name: string, rule: Rule): string[] {
	if (rule.type !== "object") return name.includes("__") ? [name] : [];
	return Object.entries(rule.props).flatMap(([key, inner]) => below(`${name}__${key.toUpperCase()}`, inner));
}
