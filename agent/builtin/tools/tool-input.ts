/** Reads the input of a tool as a model wrote it, member by member, with errors that the model can learn from. */
import { isJsonObject } from "#shared/base/schema/json-object.ts";
import { type JsonObject, parseJsonObject } from "#shared/base/schema/parsed-json.ts";

import { ToolFailure } from "./tool-failure.ts";

export class ToolInput {
	readonly members: JsonObject;

	constructor(members: JsonObject) {
		this.members = members;
	}

	/** @throws {ToolFailure} */
	static parse(text: string): ToolInput {
		const members = text.trim() === "" ? {} : parseJsonObject(text);
		if (!members) throw new ToolFailure("The input is not a JSON object; it may have been cut off");
		return new ToolInput(members);
	}

	/** @throws {ToolFailure} when the member is missing, empty, or no text. */
	text(name: string): string {
		const value = this.optionalText(name);
		if (value === undefined || value === "") throw new ToolFailure(`The input needs "${name}", a text`);
		return value;
	}

	/** Returns a text that may be empty. @throws {ToolFailure} when the member is missing or no text. */
	content(name: string): string {
		const value = this.optionalText(name);
		if (value === undefined) throw new ToolFailure(`The input needs "${name}", a text that may be empty`);
		return value;
	}

	/** @throws {ToolFailure} when the member is no text. */
	optionalText(name: string): string | undefined {
		const value = this.members[name] ?? undefined;
		if (value !== undefined && typeof value !== "string") throw new ToolFailure(`"${name}" must be a text`);
		return value;
	}

	flag(name: string): boolean {
		const value = this.members[name];
		return value === true || value === "true";
	}

	/** Returns the number, or the nearest bound. @throws {ToolFailure} when the member is no number. */
	wholeNumber(name: string, { min, max, otherwise }: { min: number; max: number; otherwise: number }): number {
		const value = this.members[name] ?? otherwise;
		const number = Math.round(Number(value));
		if (!Number.isFinite(number)) throw new ToolFailure(`"${name}" must be a number`);
		return Math.min(max, Math.max(min, number));
	}

	/** @throws {ToolFailure} */
	objects(name: string): JsonObject[] {
		const value = this.members[name];
		if (!Array.isArray(value) || !value.every(isJsonObject)) {
			throw new ToolFailure(`The input needs "${name}", a list of objects`);
		}
		return value;
	}
}

/** Returns the JSON Schema of a tool's input. @param required The names of the members that may not be left out. */
export function inputSchema(properties: JsonObject, required: readonly string[]): JsonObject {
	return { type: "object", properties, required, additionalProperties: false };
}
