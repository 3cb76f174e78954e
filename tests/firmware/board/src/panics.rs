//! The two panic handlers. They are macros because a handler belongs to one program, not to this crate.

/// A panic handler that prints the message and exits with the code 101, as a test on the host does.
#[macro_export]
macro_rules! report_panics {
    () => {
        #[panic_handler]
        fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
            $crate::println!("{info}");
            $crate::exit(101)
        }
    };
}

/// A panic handler that does not link: it calls a function that does not exist.
///
/// In a release build the linker leaves out what nothing refers to, the handler included. So the program
/// links if and only if the optimiser has removed every path that could panic.
#[macro_export]
macro_rules! forbid_panics {
    () => {
        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
            unsafe extern "C" {
                safe fn this_program_can_panic() -> !;
            }
            this_program_can_panic()
        }
    };
}
