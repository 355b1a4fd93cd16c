/** The differences between the kinds of blueprints that belong to one person. */
import type { BlueprintCollection } from "./blueprint-collection.ts";

/** A blueprint as its owner sees it. */
export interface OwnedBlueprint {
	readonly name: string;
	readonly is_default: boolean;
}

export interface BlueprintKind<B extends OwnedBlueprint> {
	/** The word for one of them in sentences, e.g. `Profile`. */
	readonly noun: "Profile" | "Preset";
	readonly collection: BlueprintCollection;
	/** Returns the group within which at most one is the default. */
	readonly groupOf: (blueprint: B) => string;
	/** The member by which requests name one. */
	readonly key: "name" | "id";
	/** Refuses a blueprint that cannot be stored. @throws {BadRequestError | InvalidParametersError} */
	readonly refuse?: (blueprint: B) => void;
}

const isNoDefault = '"is_default":false}';
const isDefault = '"is_default":true}';

/** Returns the text to be stored: the same for a default, because the default is chosen elsewhere. */
export function storedText<B extends OwnedBlueprint>(blueprint: B): string {
	const { is_default: _chosen, ...members } = blueprint;
	return `${JSON.stringify(members).slice(0, -1)},${isNoDefault}`;
}

export function shownText(wire: string, chosen: boolean): string {
	return chosen ? wire.slice(0, -isNoDefault.length) + isDefault : wire;
}
