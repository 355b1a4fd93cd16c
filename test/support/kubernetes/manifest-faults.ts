/**
 * Finds what a cluster would refuse in a manifest, or would silently leave out: values against the schemas of the API
 * (kubernetes-models), and members that the API does not have (the types of its official client), such as misspelt ones.
 */
import * as client from "@kubernetes/client-node";

interface Attribute {
	readonly baseName: string;
	readonly type: string;
}

interface ApiType {
	getAttributeTypeMap(): readonly Attribute[];
}

/** Kinds of others, which need what the component says that it needs. */
export const foreignKinds: ReadonlySet<string> = new Set(["HTTPRoute", "PodMonitor"]);

/** An object of the API. */
export interface ApiObject {
	readonly apiVersion: string;
	readonly kind: string;
}

/** Returns a sentence for each fault. */
export async function manifestFaults(object: ApiObject): Promise<string[]> {
	const { apiVersion, kind } = object;
	if (foreignKinds.has(kind)) return [];
	const path = `kubernetes-models/${apiVersion}/${kind}`;
	const module = (await import(path)) as Record<string, new (data: object) => { validate(): void }>;
	const Model = module[kind];
	if (!Model) return [`the schemas have no ${kind}`];
	const unknown = unknownMembers(object, `V${apiVersion.split("/").at(-1)?.slice(1)}${kind}`, kind);
	try {
		new Model(object).validate();
		return unknown;
	} catch (error) {
		return [...unknown, `${kind}: ${error instanceof Error ? error.message : String(error)}`];
	}
}

function unknownMembers(value: unknown, type: string, at: string): string[] {
	const [, item] = /^Array<(.+)>$/.exec(type) ?? [];
	if (item !== undefined)
		return Array.isArray(value) ? value.flatMap((one, index) => unknownMembers(one, item, `${at}[${index}]`)) : [];
	const [, inMap] = /^\{ \[key: string\]: (.+); \}$/.exec(type) ?? [];
	if (!isRecord(value)) return [];
	if (inMap !== undefined)
		return Object.entries(value).flatMap(([name, one]) => unknownMembers(one, inMap, `${at}.${name}`));
	const attributes = attributesOf(type);
	if (!attributes) return [];
	return Object.entries(value).flatMap(([name, one]) => {
		const known = attributes.find(({ baseName }) => baseName === name);
		return known ? unknownMembers(one, known.type, `${at}.${name}`) : [`${at} has no member "${name}"`];
	});
}

function attributesOf(type: string): readonly Attribute[] | undefined {
	const found: unknown = Object.entries(client).find(([name]) => name === type)?.[1];
	return isApiType(found) ? found.getAttributeTypeMap() : undefined;
}

function isApiType(value: unknown): value is ApiType {
	return value instanceof Object && "getAttributeTypeMap" in value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return value instanceof Object && !Array.isArray(value);
}
