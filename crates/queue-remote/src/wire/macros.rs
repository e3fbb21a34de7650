//! The macros by which types list their fields.

/// A struct whose fields are all public: they stand on the wire in the order of this list. A field
/// that the list lacks does not compile.
macro_rules! record {
    ($($type:ident { $($field:ident: $of:ty),* $(,)? })*) => {$(
        impl Wire for $type {
            const SCHEMA: u64 = {
                let form = hash(0, stringify!($type));
                $(let form = mix(hash(form, stringify!($field)), <$of as Wire>::SCHEMA);)*
                form
            };

            fn put(&self, out: &mut Writer) {
                let Self { $($field),* } = self;
                $(Wire::put($field, out);)*
            }

            fn read(from: &mut Source) -> Result<Self, Malformed> {
                Ok(Self { $($field: <$of as Wire>::read(from)?),* })
            }
        }
    )*};
}

/// An enum: each variant has a number, and its fields follow.
macro_rules! choice {
    ($($type:ident {
        $($code:literal = $variant:ident
            $({ $($field:ident: $of:ty),* })?
            $(( $($part:ident: $part_of:ty),* ))?
        ),* $(,)?
    })*) => {$(
        impl Wire for $type {
            const SCHEMA: u64 = {
                let form = hash(0, stringify!($type));
                $(
                    let form = hash(form, stringify!($code $variant));
                    $($(let form = mix(hash(form, stringify!($field)), <$of as Wire>::SCHEMA);)*)?
                    $($(let form = mix(hash(form, stringify!($part)), <$part_of as Wire>::SCHEMA);)*)?
                )*
                form
            };

            fn put(&self, out: &mut Writer) {
                match self {
                    $(Self::$variant $({ $($field),* })? $(( $($part),* ))? => {
                        out.byte($code);
                        $($(Wire::put($field, out);)*)?
                        $($(Wire::put($part, out);)*)?
                    })*
                }
            }

            fn read(from: &mut Source) -> Result<Self, Malformed> {
                match from.reader.byte()? {
                    $($code => Ok(Self::$variant
                        $({ $($field: <$of as Wire>::read(from)?),* })?
                        $(( $(<$part_of as Wire>::read(from)?),* ))?
                    ),)*
                    _ => Err(Malformed("a number stands for no variant")),
                }
            }
        }
    )*};
}

/// An enum of `queue-core` that may grow. A variant that this list lacks is sent as a number that
/// the other side refuses.
macro_rules! growing_choice {
    ($($type:ident { $($code:literal = $variant:ident),* $(,)? })*) => {$(
        impl Wire for $type {
            const SCHEMA: u64 = hash(0, stringify!($type $($code $variant)*));

            fn put(&self, out: &mut Writer) {
                out.byte(match self {
                    $(Self::$variant => $code,)*
                    _ => u8::MAX,
                });
            }

            fn read(from: &mut Source) -> Result<Self, Malformed> {
                match from.reader.byte()? {
                    $($code => Ok(Self::$variant),)*
                    _ => Err(Malformed("a number stands for no variant")),
                }
            }
        }
    )*};
}

/// An enum that has stable numbers of its own.
macro_rules! numbered {
    ($($type:ident),* $(,)?) => {$(
        impl Wire for $type {
            const SCHEMA: u64 = hash(0, stringify!($type));

            fn put(&self, out: &mut Writer) {
                out.byte(self.as_code());
            }

            fn read(from: &mut Source) -> Result<Self, Malformed> {
                from.reader.code(Self::from_code)
            }
        }
    )*};
}
